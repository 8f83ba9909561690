/**
 * Makes an empty PGlite database in the directory given as worker data. In a thread of its own, because PGlite's
 * initdb takes several seconds of the event loop and half a gigabyte that only the end of its thread gives back.
 */
import { workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'

const pglite = await PGlite.create({ dataDir: workerData })
await pglite.close()
