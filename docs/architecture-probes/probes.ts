/**
 * Deliberate violations of the import law, at least one for each rule. They are only ever written to a temporary
 * tree. A file without text is an empty module, there to be imported.
 */
export interface Probe {
  rule: string
  says: string
  files: Record<string, string>
}

const empty = 'export {}\n'

/** `from` imports `to`, both inside the tree. */
function reaches(rule: string, from: string, to: string, how = importOf): Probe {
  const text = how(pathBetween(from, to))
  return { rule, says: `${from} has ${text.trim()}`, files: { [from]: text, [to]: empty } }
}

/** `from` imports the package or built-in module `name`. */
function uses(rule: string, from: string, name: string): Probe {
  return { rule, says: `${from} imports ${name}`, files: { [from]: importOf(name) } }
}

const importOf = (path: string) => `import '${path}'\n`
const typeImportOf = (path: string) => `import type {} from '${path}'\n`
const reexportOf = (path: string) => `export * from '${path}'\n`
const lazyImportOf = (path: string) => `export const later = () => import('${path}')\n`

const above: Record<string, string[]> = {
  domain: ['store', 'external', 'execution', 'control', 'adapters', 'http', 'cli'],
  store: ['external', 'execution', 'control', 'adapters', 'http', 'cli'],
  external: ['store', 'execution', 'control', 'adapters', 'http', 'cli'],
  execution: ['control', 'adapters', 'http', 'cli'],
  control: ['adapters', 'http', 'cli'],
  http: ['cli'],
}

export const probes: Probe[] = [
  {
    rule: 'no-cycles',
    says: 'two files import each other',
    files: { 'bff/store/one.ts': importOf('./two.ts'), 'bff/store/two.ts': importOf('./one.ts') },
  },
  {
    rule: 'no-cycles',
    says: 'two files know each other by type alone',
    files: {
      'bff/store/one.ts': `import type { Two } from './two.ts'\nexport type One = Two\n`,
      'bff/store/two.ts': `import type { One } from './one.ts'\nexport interface Two { one: One }\n`,
    },
  },
  {
    rule: 'no-unresolved',
    says: 'a file that is not there',
    files: { 'web/sync/a.ts': importOf('./gone.ts') },
  },
  uses('no-unresolved', 'bff/http/a.ts', 'a-package-nobody-installed'),
  reaches('shared-is-a-leaf', 'shared/a.ts', 'bff/domain/b.ts'),
  reaches('shared-is-a-leaf', 'shared/a.ts', 'web/sync/b.ts', typeImportOf),
  uses('shared-knows-only-zod', 'shared/a.ts', 'uuid'),
  uses('shared-knows-only-zod', 'shared/a.ts', 'node:crypto'),
  reaches('web-and-bff-meet-in-shared', 'web/sync/a.ts', 'bff/domain/b.ts', typeImportOf),
  reaches('web-and-bff-meet-in-shared', 'bff/http/a.ts', 'web/sync/b.ts'),
  ...Object.entries(above).flatMap(([layer, higher]) =>
    higher.map((name) => reaches(`${layer}-looks-down`, `bff/${layer}/a.ts`, `bff/${name}/b.ts`)),
  ),
  reaches('execution-looks-down', 'bff/execution/a.ts', 'bff/http/b.ts', typeImportOf),
  reaches('execution-looks-down', 'bff/execution/a.ts', 'bff/http/b.ts', reexportOf),
  reaches('execution-looks-down', 'bff/execution/a.ts', 'bff/http/b.ts', lazyImportOf),
  uses('domain-is-pure', 'bff/domain/a.ts', 'zod'),
  uses('domain-is-pure', 'bff/domain/a.ts', 'node:fs'),
  ...['domain', 'external', 'execution', 'control', 'adapters', 'http'].map((layer) =>
    uses('drizzle-stays-in-store', `bff/${layer}/a.ts`, 'drizzle-orm'),
  ),
  uses('drizzle-stays-in-store', 'bff/execution/a.ts', '@electric-sql/pglite'),
  uses('drizzle-stays-in-store', 'bff/http/a.ts', 'postgres'),
  uses('hono-stays-in-http', 'bff/execution/a.ts', 'hono'),
  uses('hono-stays-in-http', 'bff/execution/a.ts', 'hono/streaming'),
  uses('hono-stays-in-http', 'bff/store/a.ts', '@hono/node-server'),
  uses('model-sdks-stay-in-adapters', 'bff/execution/a.ts', 'ai'),
  uses('model-sdks-stay-in-adapters', 'bff/cli/a.ts', '@ai-sdk/openai-compatible'),
  uses('metrics-stay-in-http', 'bff/cli/a.ts', 'prom-client'),
  uses('telemetry-stays-in-its-adapter', 'bff/cli/a.ts', '@opentelemetry/api'),
  uses('telemetry-stays-in-its-adapter', 'bff/adapters/practice/a.ts', '@opentelemetry/sdk-trace-base'),
  ...['store', 'execution', 'control', 'http', 'cli'].map((layer) =>
    reaches('adapters-see-ports', 'bff/adapters/practice/a.ts', `bff/${layer}/b.ts`),
  ),
  reaches('adapters-are-strangers', 'bff/adapters/practice/a.ts', 'bff/adapters/slurm/b.ts'),
  reaches('http-calls-execution', 'bff/http/routes/a.ts', 'bff/store/jobs/b.ts'),
  reaches('http-calls-execution', 'bff/http/a.ts', 'bff/adapters/practice/b.ts'),
  reaches('features-are-strangers', 'web/compose/a.tsx', 'web/thread/b.tsx'),
  reaches('features-are-strangers', 'web/compose/a.tsx', 'web/app/b.tsx'),
  reaches('features-are-strangers', 'web/a-feature-to-come/a.tsx', 'web/compose/b.tsx'),
  ...['sync', 'ui', 'session', 'marks'].map((folder) =>
    reaches('web-foundations-look-down', `web/${folder}/a.ts`, 'web/compose/b.tsx'),
  ),
  ...['ui', 'session', 'marks'].map((name) => reaches('sync-is-lowest', 'web/sync/a.ts', `web/${name}/b.ts`)),
  reaches('session-below-marks', 'web/session/a.ts', 'web/marks/b.tsx'),
  ...['sync', 'session', 'marks'].map((name) =>
    reaches('ui-knows-nothing', 'web/ui/a.tsx', `web/${name}/b.ts`),
  ),
  reaches('ui-knows-nothing', 'web/ui/a.tsx', 'shared/job.ts', typeImportOf),
  uses('engine-knows-no-react', 'web/field/engine/a.ts', 'react'),
  uses('engine-knows-no-react', 'web/field/engine/a.ts', 'zustand'),
  uses('engine-knows-no-react', 'web/field/engine/a.ts', '@tanstack/react-query'),
  reaches('engine-knows-no-react', 'web/field/engine/a.ts', 'web/field/drop.tsx'),
  reaches('engine-knows-no-react', 'web/field/engine/a.ts', 'web/sync/b.ts', typeImportOf),
  reaches('no-test-code-shipped', 'bff/store/a.ts', 'bff/store/testing/b.ts'),
  reaches('no-test-code-shipped', 'web/sync/a.ts', 'web/sync/b.test.ts'),
]

/** What the law must let pass; a law that refuses everything would catch every probe too. */
export const lawful: Record<string, string> = {
  'shared/a.ts': importOf('zod'),
  'bff/domain/a.ts': importOf('../../shared/a.ts'),
  'bff/store/a.ts': importOf('../domain/a.ts') + importOf('drizzle-orm'),
  'bff/store/a.test.ts': importOf('./testing/database.ts'),
  'bff/store/testing/database.ts': importOf('../a.ts'),
  'bff/execution/a.ts': importOf('../store/a.ts'),
  'bff/control/a.ts': importOf('../execution/a.ts'),
  'bff/adapters/practice/a.ts': importOf('../../domain/a.ts') + importOf('ai'),
  'bff/adapters/telemetry/a.ts': importOf('../../domain/a.ts') + importOf('@opentelemetry/api'),
  'bff/http/a.ts':
    importOf('../control/a.ts') + importOf('hono') + importOf('hono/streaming') + importOf('prom-client'),
  'bff/cli/a.ts':
    importOf('../http/a.ts') + importOf('../adapters/practice/a.ts') + importOf('../store/a.ts'),
  'web/ui/a.tsx': importOf('react'),
  'web/sync/a.ts': importOf('../../shared/a.ts') + importOf('@tanstack/react-query'),
  'web/session/a.ts': importOf('../sync/a.ts') + importOf('zustand'),
  'web/marks/a.tsx': importOf('../session/a.ts') + importOf('../ui/a.tsx'),
  'web/field/engine/a.ts': importOf('./b.ts'),
  'web/field/engine/b.ts': empty,
  'web/field/a.tsx': importOf('./engine/a.ts') + importOf('../marks/a.tsx'),
  'web/app/a.tsx': importOf('../field/a.tsx'),
}

function pathBetween(from: string, to: string): string {
  return `${'../'.repeat(from.split('/').length - 1)}${to}`
}
