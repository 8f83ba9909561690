import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { verdict } from '../entity.ts'
import { instant, uuid } from '../ids.ts'
import { jobState } from '../job.ts'
import { promptView } from '../prompt-view.ts'
import { pageLimit, pagePosition } from '../query-values.ts'
import { storableText } from '../text.ts'

const filters = {
  state: z.optional(jobState),
  from: z.optional(instant),
  to: z.optional(instant),
  model: z.optional(storableText(200)),
  verdict: z.optional(verdict),
  thread: z.optional(uuid),
}

/** `q` is plain words, which all have to occur in the prompt or its answer. */
export const searchQuery = z.strictObject({
  q: storableText(500).check(z.refine((text) => text.trim() !== '', 'must not be blank')),
  ...filters,
  limit: z.optional(pageLimit),
  after: z.optional(pagePosition),
})
export const searchResponse = z.object({
  results: z.array(z.object({ view: promptView, excerpt: z.string() })),
  next: z.nullable(z.string()),
})
export type SearchResponse = z.infer<typeof searchResponse>

/** Without `thread` and times: everything. */
export const exportQuery = z.strictObject({
  format: z.optional(z.enum(['json', 'markdown'])),
  thread: filters.thread,
  from: filters.from,
  to: filters.to,
})

export const searchEndpoints = {
  search: endpoint({
    method: 'GET',
    path: '/api/v1/search',
    summary: 'Full-text search in prompts and answers',
    query: searchQuery,
    responses: { 200: searchResponse },
  }),
  exportThreads: endpoint({
    method: 'GET',
    path: '/api/v1/export',
    summary: 'Prompts, answers, attempts, verdicts and trace, as JSON or Markdown',
    query: exportQuery,
    responses: { 200: 'text/markdown' },
  }),
}
