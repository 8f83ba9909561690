ALTER TABLE "job" DROP CONSTRAINT "job_permit";--> statement-breakpoint
DROP INDEX "job_claimable";--> statement-breakpoint
DROP INDEX "job_due";--> statement-breakpoint
DROP INDEX "job_without_permit";--> statement-breakpoint
ALTER TABLE "provider_gate" ALTER COLUMN "closed_until" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "job" ADD COLUMN "permit_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "job" ADD COLUMN "schedule_id" uuid;--> statement-breakpoint
ALTER TABLE "job" ADD COLUMN "time_zone" text;--> statement-breakpoint
ALTER TABLE "provider_gate" ADD COLUMN "probe_job_id" uuid;--> statement-breakpoint
ALTER TABLE "schedule" ADD COLUMN "name" text NOT NULL;--> statement-breakpoint
ALTER TABLE "schedule" ADD COLUMN "thread_id" uuid;--> statement-breakpoint
ALTER TABLE "schedule" ADD COLUMN "last_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "schedule" ADD COLUMN "last_prompt_id" uuid;--> statement-breakpoint
CREATE INDEX "provider_gate_due" ON "provider_gate" USING btree ("closed_until") WHERE probe_job_id is null;--> statement-breakpoint
CREATE INDEX "schedule_by_owner" ON "schedule" USING btree ("org_id","created_by","next_at","id");--> statement-breakpoint
CREATE INDEX "job_claimable" ON "job" USING btree ("permit_at","claim_rank","id") WHERE state = 'queued' and permit is not null and blocked_by is null;--> statement-breakpoint
CREATE INDEX "job_due" ON "job" USING btree ("available_at") WHERE state = 'queued' and permit is null and blocked_by is null;--> statement-breakpoint
CREATE INDEX "job_without_permit" ON "job" USING btree ("org_id","claim_rank","id") WHERE state = 'queued' and permit is null and blocked_by is null;--> statement-breakpoint
ALTER TABLE "provider_gate" DROP COLUMN "probing";--> statement-breakpoint
ALTER TABLE "job" ADD CONSTRAINT "job_permit_at" CHECK (("job"."permit" is null) = ("job"."permit_at" is null));--> statement-breakpoint
ALTER TABLE "job" ADD CONSTRAINT "job_permit" CHECK ("job"."permit" >= 1 and "job"."state" in ('queued', 'running') or "job"."permit" is null);