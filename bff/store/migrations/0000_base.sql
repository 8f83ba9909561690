CREATE TABLE "artifact" (
	"id" uuid PRIMARY KEY NOT NULL,
	"prompt_id" uuid NOT NULL,
	"job_id" uuid,
	"path" text NOT NULL,
	"bytes" bigint NOT NULL,
	"sha256" text NOT NULL,
	"verified_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "artifact_bytes" CHECK ("artifact"."bytes" >= 0),
	CONSTRAINT "artifact_sha256" CHECK ("artifact"."sha256" ~ '^[0-9a-f]{64}$')
);
--> statement-breakpoint
CREATE TABLE "edge" (
	"from_id" uuid NOT NULL,
	"to_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "edge_from_id_to_id_kind_pk" PRIMARY KEY("from_id","to_id","kind"),
	CONSTRAINT "edge_kind" CHECK ("edge"."kind" in ('flows-to', 'continues', 'grounds', 'promotes')),
	CONSTRAINT "edge_no_loop" CHECK ("edge"."from_id" <> "edge"."to_id")
);
--> statement-breakpoint
CREATE TABLE "entity" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"org_id" uuid NOT NULL,
	"created_by" uuid NOT NULL,
	"parent_id" uuid,
	"correlation_id" uuid NOT NULL,
	"causation_id" uuid,
	"source_refs" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"truth_class" text NOT NULL,
	"state_class" text DEFAULT 'working' NOT NULL,
	"verdict" text,
	"verdict_note" text,
	"verdict_at" timestamp (3) with time zone,
	"body" text NOT NULL,
	"meta" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"revision" bigint DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "entity_kind" CHECK ("entity"."kind" in ('prompt', 'response', 'context')),
	CONSTRAINT "entity_truth_class" CHECK ("entity"."truth_class" in ('asserted', 'generated', 'observed', 'confirmed', 'refuted')),
	CONSTRAINT "entity_state_class" CHECK ("entity"."state_class" in ('working', 'promoted', 'retracted')),
	CONSTRAINT "entity_verdict" CHECK ("entity"."verdict" in ('confirmed', 'refuted', 'needs_work')),
	CONSTRAINT "entity_verdict_at" CHECK (("entity"."verdict" is null) = ("entity"."verdict_at" is null)),
	CONSTRAINT "entity_revision" CHECK ("entity"."revision" >= 1)
);
--> statement-breakpoint
CREATE TABLE "seen" (
	"person_id" uuid NOT NULL,
	"prompt_id" uuid NOT NULL,
	"job_id" uuid NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "seen_person_id_prompt_id_pk" PRIMARY KEY("person_id","prompt_id")
);
--> statement-breakpoint
CREATE TABLE "thread" (
	"id" uuid PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"created_by" uuid NOT NULL,
	"title" text NOT NULL,
	"row_order" bigint NOT NULL,
	"retracted_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "delivery" (
	"id" uuid PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"webhook_id" uuid NOT NULL,
	"event_seq" bigint NOT NULL,
	"payload" jsonb NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_at" timestamp (3) with time zone,
	"acknowledged_at" timestamp (3) with time zone,
	"last_error" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "delivery_attempts" CHECK ("delivery"."attempts" >= 0)
);
--> statement-breakpoint
CREATE TABLE "event" (
	"seq" bigserial PRIMARY KEY NOT NULL,
	"tx" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"org_id" uuid NOT NULL,
	"owner" uuid NOT NULL,
	"prompt_id" uuid,
	"job_id" uuid,
	"run" integer,
	"kind" text NOT NULL,
	"data" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "event_kind" CHECK ("event"."kind" ~ '^[a-z]+(-[a-z]+)+$')
);
--> statement-breakpoint
CREATE TABLE "meta" (
	"key" text PRIMARY KEY NOT NULL,
	"value" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook" (
	"id" uuid PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"created_by" uuid NOT NULL,
	"url" text NOT NULL,
	"secret" text NOT NULL,
	"kinds" jsonb NOT NULL,
	"paused_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "login_link" (
	"token_sha256" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"person_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "membership" (
	"org_id" uuid NOT NULL,
	"person_id" uuid NOT NULL,
	"role" text NOT NULL,
	CONSTRAINT "membership_org_id_person_id_pk" PRIMARY KEY("org_id","person_id"),
	CONSTRAINT "membership_role" CHECK ("membership"."role" in ('owner', 'operator', 'member'))
);
--> statement-breakpoint
CREATE TABLE "org" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "person" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"time_zone" text,
	"present_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "session" (
	"token_sha256" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"person_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "setting" (
	"org_id" uuid NOT NULL,
	"person_id" uuid NOT NULL,
	"key" text NOT NULL,
	"value" jsonb NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "setting_org_id_person_id_key_pk" PRIMARY KEY("org_id","person_id","key")
);
--> statement-breakpoint
CREATE TABLE "batch" (
	"id" uuid PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"created_by" uuid NOT NULL,
	"total" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "batch_total" CHECK ("batch"."total" >= 0)
);
--> statement-breakpoint
CREATE TABLE "draft" (
	"job_id" uuid NOT NULL,
	"run" integer NOT NULL,
	"seq" integer NOT NULL,
	"text" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "draft_job_id_run_seq_pk" PRIMARY KEY("job_id","run","seq")
);
--> statement-breakpoint
CREATE TABLE "external_job" (
	"id" uuid PRIMARY KEY NOT NULL,
	"prompt_id" uuid NOT NULL,
	"job_id" uuid NOT NULL,
	"backend" text NOT NULL,
	"backend_job_id" text,
	"status" text NOT NULL,
	"reason" text,
	"manifest_path" text NOT NULL,
	"details" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"next_poll_at" timestamp (3) with time zone,
	"submitted_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "external_job_status" CHECK ("external_job"."status" in ('submitted', 'running', 'completed-unverified', 'failed', 'cancelled', 'timeout'))
);
--> statement-breakpoint
CREATE TABLE "job" (
	"id" uuid PRIMARY KEY NOT NULL,
	"prompt_id" uuid NOT NULL,
	"org_id" uuid NOT NULL,
	"created_by" uuid NOT NULL,
	"state" text DEFAULT 'queued' NOT NULL,
	"outcome" text,
	"priority" smallint DEFAULT 50 NOT NULL,
	"attempt" smallint DEFAULT 1 NOT NULL,
	"max_attempts" smallint DEFAULT 3 NOT NULL,
	"run" integer DEFAULT 0 NOT NULL,
	"crashes" smallint DEFAULT 0 NOT NULL,
	"execution_options" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"budget" text DEFAULT 'unknown' NOT NULL,
	"provider" text,
	"model" text,
	"worker_claim" text,
	"worker_id" text,
	"claimed_at" timestamp (3) with time zone,
	"started_at" timestamp (3) with time zone,
	"running_heartbeat_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"available_at" timestamp (3) with time zone NOT NULL,
	"scheduled_for" timestamp (3) with time zone,
	"soft_review_at" timestamp (3) with time zone,
	"rate_limited_since" timestamp (3) with time zone,
	"blocked_by" uuid,
	"hold_reason" text,
	"claim_rank" bigint NOT NULL,
	"permit" integer,
	"external" boolean DEFAULT false NOT NULL,
	"response_id" uuid,
	"error_kind" text,
	"error_message" text,
	"supersedes" uuid,
	"batch_id" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "job_state" CHECK ("job"."state" in ('queued', 'running', 'succeeded', 'failed', 'cancelled', 'superseded')),
	CONSTRAINT "job_outcome" CHECK ("job"."outcome" in ('succeeded', 'failed', 'cancelled')),
	CONSTRAINT "job_error_kind" CHECK ("job"."error_kind" in ('timeout', 'rate_limit', 'provider_5xx', 'provider_4xx', 'parse', 'auth', 'worker_crash', 'stuck', 'unknown', 'external')),
	CONSTRAINT "job_budget" CHECK ("job"."budget" in ('quick', 'medium', 'unknown', 'long_compute')),
	CONSTRAINT "job_priority" CHECK ("job"."priority" between 0 and 100),
	CONSTRAINT "job_attempt" CHECK ("job"."attempt" between 1 and "job"."max_attempts"),
	CONSTRAINT "job_run" CHECK ("job"."run" >= 0 and "job"."crashes" >= 0),
	CONSTRAINT "job_finished" CHECK (("job"."state" in ('queued', 'running')) = ("job"."finished_at" is null)),
	CONSTRAINT "job_outcome_state" CHECK (("job"."finished_at" is null) = ("job"."outcome" is null)),
	CONSTRAINT "job_outcome_kept" CHECK ("job"."state" in ('queued', 'running', 'superseded') or "job"."outcome" = "job"."state"),
	CONSTRAINT "job_claim" CHECK (("job"."state" = 'running') = ("job"."worker_claim" is not null)),
	CONSTRAINT "job_running" CHECK ("job"."state" <> 'running' or ("job"."started_at" is not null and "job"."run" >= 1)),
	CONSTRAINT "job_heartbeat" CHECK ("job"."state" <> 'running' or "job"."external" or "job"."running_heartbeat_at" is not null),
	CONSTRAINT "job_response" CHECK (("job"."outcome" is not distinct from 'succeeded') = ("job"."response_id" is not null)),
	CONSTRAINT "job_failed" CHECK ("job"."outcome" is distinct from 'failed' or "job"."error_kind" is not null),
	CONSTRAINT "job_succeeded" CHECK ("job"."outcome" is distinct from 'succeeded' or "job"."error_kind" is null),
	CONSTRAINT "job_hold" CHECK ("job"."hold_reason" in ('failed', 'cancelled') and "job"."blocked_by" is not null or "job"."hold_reason" is null),
	CONSTRAINT "job_permit" CHECK ("job"."permit" >= 1)
);
--> statement-breakpoint
CREATE TABLE "ledger" (
	"job_id" uuid NOT NULL,
	"run" integer NOT NULL,
	"attempt" smallint NOT NULL,
	"counted" boolean NOT NULL,
	"provider" text,
	"model" text,
	"adapter_request_id" text,
	"input_tokens" integer,
	"output_tokens" integer,
	"finish_reason" text,
	"queued_ms" bigint,
	"first_token_ms" bigint,
	"run_ms" bigint,
	"error_kind" text,
	"error_message" text,
	"partial_text" text,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "ledger_job_id_run_pk" PRIMARY KEY("job_id","run"),
	CONSTRAINT "ledger_error_kind" CHECK ("ledger"."error_kind" in ('timeout', 'rate_limit', 'provider_5xx', 'provider_4xx', 'parse', 'auth', 'worker_crash', 'stuck', 'unknown', 'external')),
	CONSTRAINT "ledger_run" CHECK ("ledger"."run" >= 1 and "ledger"."attempt" >= 1)
);
--> statement-breakpoint
CREATE TABLE "provider_gate" (
	"provider" text PRIMARY KEY NOT NULL,
	"closed_until" timestamp (3) with time zone,
	"probing" boolean DEFAULT false NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "schedule" (
	"id" uuid PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"created_by" uuid NOT NULL,
	"cron" text NOT NULL,
	"zone" text NOT NULL,
	"request" jsonb NOT NULL,
	"next_at" timestamp (3) with time zone,
	"paused_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "artifact" ADD CONSTRAINT "artifact_prompt_id_entity_id_fk" FOREIGN KEY ("prompt_id") REFERENCES "public"."entity"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "edge" ADD CONSTRAINT "edge_from_id_entity_id_fk" FOREIGN KEY ("from_id") REFERENCES "public"."entity"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "edge" ADD CONSTRAINT "edge_to_id_entity_id_fk" FOREIGN KEY ("to_id") REFERENCES "public"."entity"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "seen" ADD CONSTRAINT "seen_prompt_id_entity_id_fk" FOREIGN KEY ("prompt_id") REFERENCES "public"."entity"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "login_link" ADD CONSTRAINT "login_link_org_id_org_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."org"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "login_link" ADD CONSTRAINT "login_link_person_id_person_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."person"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "membership" ADD CONSTRAINT "membership_org_id_org_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."org"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "membership" ADD CONSTRAINT "membership_person_id_person_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."person"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session" ADD CONSTRAINT "session_org_id_org_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."org"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session" ADD CONSTRAINT "session_person_id_person_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."person"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "setting" ADD CONSTRAINT "setting_org_id_org_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."org"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "draft" ADD CONSTRAINT "draft_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "external_job" ADD CONSTRAINT "external_job_prompt_id_entity_id_fk" FOREIGN KEY ("prompt_id") REFERENCES "public"."entity"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "external_job" ADD CONSTRAINT "external_job_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "job" ADD CONSTRAINT "job_prompt_id_entity_id_fk" FOREIGN KEY ("prompt_id") REFERENCES "public"."entity"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "job" ADD CONSTRAINT "job_blocked_by_entity_id_fk" FOREIGN KEY ("blocked_by") REFERENCES "public"."entity"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "job" ADD CONSTRAINT "job_response_id_entity_id_fk" FOREIGN KEY ("response_id") REFERENCES "public"."entity"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger" ADD CONSTRAINT "ledger_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "artifact_by_prompt" ON "artifact" USING btree ("prompt_id");--> statement-breakpoint
CREATE INDEX "edge_to" ON "edge" USING btree ("to_id","kind");--> statement-breakpoint
CREATE INDEX "entity_by_owner" ON "entity" USING btree ("org_id","created_by","created_at","id") WHERE kind = 'prompt';--> statement-breakpoint
CREATE INDEX "entity_by_thread" ON "entity" USING btree ("correlation_id","created_at","id") WHERE kind = 'prompt';--> statement-breakpoint
CREATE INDEX "entity_by_parent" ON "entity" USING btree ("parent_id") WHERE kind = 'prompt' and parent_id is not null;--> statement-breakpoint
CREATE INDEX "thread_by_owner" ON "thread" USING btree ("org_id","created_by","row_order","id");--> statement-breakpoint
CREATE INDEX "delivery_due" ON "delivery" USING btree ("next_at") WHERE acknowledged_at is null;--> statement-breakpoint
CREATE INDEX "delivery_by_org" ON "delivery" USING btree ("org_id","created_at");--> statement-breakpoint
CREATE INDEX "event_feed" ON "event" USING btree ("org_id","owner","tx","seq");--> statement-breakpoint
CREATE INDEX "event_all" ON "event" USING btree ("tx","seq");--> statement-breakpoint
CREATE INDEX "event_since" ON "event" USING btree ("org_id","owner","at");--> statement-breakpoint
CREATE INDEX "event_by_prompt" ON "event" USING btree ("prompt_id","seq");--> statement-breakpoint
CREATE INDEX "webhook_by_org" ON "webhook" USING btree ("org_id");--> statement-breakpoint
CREATE INDEX "login_link_expiry" ON "login_link" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "session_expiry" ON "session" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "external_job_by_job" ON "external_job" USING btree ("job_id");--> statement-breakpoint
CREATE INDEX "external_job_by_prompt" ON "external_job" USING btree ("prompt_id");--> statement-breakpoint
CREATE INDEX "external_job_poll" ON "external_job" USING btree ("next_poll_at") WHERE next_poll_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "job_current" ON "job" USING btree ("prompt_id") WHERE state <> 'superseded';--> statement-breakpoint
CREATE UNIQUE INDEX "job_supersedes" ON "job" USING btree ("supersedes") WHERE supersedes is not null;--> statement-breakpoint
CREATE INDEX "job_by_prompt" ON "job" USING btree ("prompt_id","created_at","id");--> statement-breakpoint
CREATE INDEX "job_claimable" ON "job" USING btree ("claim_rank","id") WHERE state = 'queued' and blocked_by is null;--> statement-breakpoint
CREATE INDEX "job_due" ON "job" USING btree ("available_at") WHERE state = 'queued' and blocked_by is null;--> statement-breakpoint
CREATE UNIQUE INDEX "job_permit_unique" ON "job" USING btree ("org_id","permit") WHERE permit is not null and state in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "job_without_permit" ON "job" USING btree ("org_id","claim_rank") WHERE state = 'queued' and permit is null and blocked_by is null;--> statement-breakpoint
CREATE INDEX "job_alive" ON "job" USING btree ("running_heartbeat_at") WHERE state = 'running' and not external;--> statement-breakpoint
CREATE INDEX "job_blocked" ON "job" USING btree ("blocked_by") WHERE state = 'queued' and blocked_by is not null;--> statement-breakpoint
CREATE INDEX "job_open_by_owner" ON "job" USING btree ("org_id","created_by","state") WHERE state in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "job_by_batch" ON "job" USING btree ("batch_id") WHERE batch_id is not null;--> statement-breakpoint
CREATE INDEX "job_finished_at" ON "job" USING btree ("finished_at") WHERE finished_at is not null;--> statement-breakpoint
CREATE INDEX "schedule_due" ON "schedule" USING btree ("next_at") WHERE paused_at is null and next_at is not null;