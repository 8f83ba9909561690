import type {
  ArchiveAnswer,
  ArchiveBody,
  AskAnswer,
  AskBody,
  BackupAnswer,
  DoctorAnswer,
  JobAnswer,
  JobDetailsAnswer,
  JobsAnswer,
  JobsQuery,
  LoginLinkAnswer,
  ReclaimAnswer,
  RunOnceAnswer,
  RunOnceBody,
} from '../../http/admin-contract.ts'
import type { IdleStatusAnswer, MetricsQuery, QueueMetricsAnswer } from '../../http/admin-queue-contract.ts'

/** What operators can do, whichever way leads to the data. Refusals are DomainErrors either way. */
export interface Reach {
  loginLink(): Promise<LoginLinkAnswer>
  listJobs(query: JobsQuery): Promise<JobsAnswer>
  jobDetails(jobId: string): Promise<JobDetailsAnswer>
  cancelJob(jobId: string): Promise<JobAnswer>
  retryJob(jobId: string): Promise<JobAnswer>
  reclaim(): Promise<ReclaimAnswer>
  runOnce(request: RunOnceBody): Promise<RunOnceAnswer>
  doctor(): Promise<DoctorAnswer>
  backup(path: string): Promise<BackupAnswer>
  queueMetrics(query: MetricsQuery): Promise<QueueMetricsAnswer>
  idleStatus(): Promise<IdleStatusAnswer>
  archive(request: ArchiveBody): Promise<ArchiveAnswer>
  /** Waits until the prompt has settled, or `patience` ends: the prompt goes on then. */
  ask(request: AskBody, how: AskOptions): Promise<AskAnswer>
  deletePrompt(promptId: string): Promise<void>
  deleteThread(threadId: string): Promise<void>
}

export interface AskOptions {
  patience: AbortSignal
  /** Run jobs here meanwhile, even where other processes may; the embedded database has no others. */
  here: boolean
}
