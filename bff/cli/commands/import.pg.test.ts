import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod/mini'
import { testPostgres } from '../../store/testing/test-postgres.ts'
import { signIn } from '../testing/browser-session.ts'
import { missionIn } from '../testing/mission-process.ts'

/** Starting Node with its TypeScript loader takes seconds on a busy machine. */
const testMs = 600_000
const asked = z.looseObject({ view: z.looseObject({ prompt_id: z.string() }) })
const imported = z.object({
  from: z.string(),
  rows: z.number(),
  epoch: z.string(),
  handed_back: z.array(z.string()),
})
const recent = z.looseObject({
  cursor: z.string(),
  resync: z.optional(z.boolean()),
  entities: z.array(z.looseObject({ prompt_id: z.string() })),
})

test(
  'what lived on the embedded database goes on on PostgreSQL, once: asked there, told of to pages with new cursors',
  async () => {
    const postgres = await testPostgres()
    onTestFinished(() => postgres.close())
    const mission = missionIn()
    const url = { DATABASE_URL: postgres.url }
    const { view } = await mission.json(['ask', 'Why?', '--model', 'practice-fast'], asked)
    const server = await mission.serve()
    const session = await signIn(server.loginUrl)
    const { cursor } = recent.parse(await (await session.get('/api/v1/mission/recent')).json())
    const locked = await mission.run(['import'], url)
    expect(locked).toMatchObject({ code: 1, stdout: '' })
    expect(locked.stderr).toMatch(/^mission: [^\n]*process \d+[^\n]*\(data_dir_locked\)\n$/)
    server.kill('SIGTERM')
    await server.ended

    const done = await mission.run(['import', '--json'], url)
    expect(done).toMatchObject({ code: 0, stderr: '' })
    expect(imported.parse(JSON.parse(done.stdout))).toMatchObject({
      from: mission.dataDir,
      handed_back: [],
    })
    const again = await mission.run(['import'], url)
    expect(again).toMatchObject({ code: 1, stderr: expect.stringMatching(/^mission: [^\n]*empty[^\n]*\n$/) })
    const nowhere = await mission.run(['import', '--from', '/nowhere'], url)
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining('no embedded database') })

    const there = await mission.serve(['--no-worker'], url)
    const page = await signIn(there.loginUrl)
    const since = async (from: string) =>
      recent.parse(await (await page.get(`/api/v1/mission/recent?since=${from}`)).json())
    const anew = await since(cursor)
    expect(anew).toMatchObject({ resync: true, entities: [{ prompt_id: view.prompt_id }] })
    expect(await since(anew.cursor)).toMatchObject({ entities: [] })

    // Nobody else runs jobs there: without --here it would wait for ever.
    const here = await mission.run(['ask', 'And then?', '--model', 'practice-fast', '--here', '--json'], url)
    expect(here).toMatchObject({ code: 0, stderr: '' })
    const { prompt_id } = asked.parse(JSON.parse(here.stdout)).view
    const next = await since(anew.cursor)
    expect(next.entities.map((entity) => entity.prompt_id)).toEqual([prompt_id])
    expect((await since(next.cursor)).entities).toEqual([])
    const source = await mission.json(
      ['queue-metrics'],
      z.looseObject({ all: z.looseObject({ finished: z.number() }) }),
    )
    expect(source.all.finished).toBe(1)
  },
  testMs,
)
