/**
 * How statements are planned, the same on both databases: once each, and by the indexes. Every search of ours has its
 * index, and a plan made while a table was small or empty is kept by the connection: left to the statistics, which the
 * embedded database never gathers by itself, it would be a scan of the whole table for as long as the process lives. A
 * plan for each call costs more than most calls do. With scans priced out of the way JIT would think every whole-table
 * statement worth compiling.
 */
export const planning = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off', jit: 'off' } as const
