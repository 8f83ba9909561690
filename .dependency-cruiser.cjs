/**
 * The import law: who may import whom. `docs/architecture.md` says why; `docs/architecture.test.ts` runs it on the
 * tree and shows, with a deliberate violation for each rule, that the rule bites.
 */
const TEST = '\\.test\\.tsx?$|/testing/' // tests may reach for fakes and test databases
const FOUNDATIONS = 'sync|ui|session|marks' // every other folder of web/ is a feature, or app
const DATABASES = 'node_modules/(drizzle-orm|@electric-sql|pg|postgres)/'

const ban = (name, from, to) => ({ name, severity: 'error', from, to })

/** `layer` imports none of the layers above it. */
const up = (layer, ...above) =>
  ban(
    `${layer}-looks-down`,
    { path: `^bff/${layer}/`, pathNot: TEST },
    { path: `^bff/(${above.join('|')})/` },
  )

module.exports = {
  forbidden: [
    ban('no-cycles', {}, { circular: true }),
    // What cannot be resolved cannot be judged by any other rule.
    ban('no-unresolved', {}, { couldNotResolve: true }),
    ban('shared-is-a-leaf', { path: '^shared/' }, { path: '^(bff|web|e2e|bench)/' }),
    ban(
      'shared-knows-only-zod',
      { path: '^shared/', pathNot: TEST },
      { path: 'node_modules/|^[^/]+$', pathNot: 'node_modules/zod/' },
    ),
    ban('web-and-bff-meet-in-shared', { path: '^(web|bff)/' }, { path: '^(web|bff)/', pathNot: '^$1/' }),

    up('domain', 'store', 'external', 'execution', 'control', 'adapters', 'http', 'cli'),
    up('store', 'external', 'execution', 'control', 'adapters', 'http', 'cli'),
    up('external', 'store', 'execution', 'control', 'adapters', 'http', 'cli'),
    up('execution', 'control', 'adapters', 'http', 'cli'),
    up('control', 'adapters', 'http', 'cli'),
    up('http', 'cli'),
    ban(
      'domain-is-pure',
      { path: '^bff/domain/', pathNot: TEST },
      { dependencyTypes: ['npm', 'npm-dev', 'npm-no-pkg', 'core'] },
    ),
    ban(
      'drizzle-stays-in-store',
      { path: '^bff/(domain|external|execution|control|adapters|http)/', pathNot: TEST },
      { path: DATABASES },
    ),
    ban(
      'hono-stays-in-http',
      { path: '^bff/', pathNot: '^bff/(http|cli)/' },
      { path: 'node_modules/(hono|@hono)/' },
    ),
    ban(
      'model-sdks-stay-in-adapters',
      { path: '^bff/', pathNot: '^bff/adapters/' },
      { path: 'node_modules/(ai|@ai-sdk)/' },
    ),
    ban(
      'metrics-stay-in-http',
      { path: '^bff/', pathNot: '^bff/http/' },
      { path: 'node_modules/prom-client/' },
    ),
    ban(
      'telemetry-stays-in-its-adapter',
      { path: '^bff/', pathNot: '^bff/adapters/telemetry/' },
      { path: 'node_modules/@opentelemetry/' },
    ),
    ban(
      'adapters-see-ports',
      { path: '^bff/adapters/', pathNot: TEST },
      { path: '^bff/', pathNot: '^bff/(domain|adapters)/' },
    ),
    ban(
      'adapters-are-strangers',
      { path: '^bff/adapters/([^/]+)/', pathNot: TEST },
      { path: '^bff/adapters/[^/]+/', pathNot: '^bff/adapters/$1/' },
    ),
    ban('http-calls-execution', { path: '^bff/http/', pathNot: TEST }, { path: '^bff/(store|adapters)/' }),

    ban(
      'features-are-strangers',
      { path: `^web/(?!(?:${FOUNDATIONS}|app)/)([^/]+)/`, pathNot: TEST },
      { path: `^web/(?!(?:${FOUNDATIONS})/)[^/]+/`, pathNot: '^web/$1/' },
    ),
    ban(
      'web-foundations-look-down',
      { path: `^web/(${FOUNDATIONS})/`, pathNot: TEST },
      { path: `^web/(?!(?:${FOUNDATIONS})/)[^/]+/` },
    ),
    ban('sync-is-lowest', { path: '^web/sync/', pathNot: TEST }, { path: '^web/(ui|session|marks)/' }),
    ban('session-below-marks', { path: '^web/session/', pathNot: TEST }, { path: '^web/marks/' }),
    ban('ui-knows-nothing', { path: '^web/ui/', pathNot: TEST }, { path: '^(web/(?!ui/)|shared/)' }),
    ban(
      'engine-knows-no-react',
      { path: '^web/field/engine/', pathNot: TEST },
      { path: 'node_modules/(react|react-dom|zustand|@tanstack)/|^web/(?!field/engine/)' },
    ),
    ban('no-test-code-shipped', { pathNot: `${TEST}|^(e2e|bench|docs)/` }, { path: TEST }),
  ],
  options: {
    tsPreCompilationDeps: true, // `import type` counts: a type is knowledge too
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'browser', 'default', 'types'],
    },
  },
}
