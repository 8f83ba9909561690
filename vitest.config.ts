import { defineConfig } from 'vitest/config'

/** `unit` needs nothing but Node; `pg` needs TEST_DATABASE_URL, which `.ci/test.mjs` provides. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{shared,bff,web,docs}/**/*.test.{ts,tsx}'],
          exclude: ['**/*.pg.test.ts', '**/node_modules/**', '**/dist/**'],
          testTimeout: 20_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'pg',
          include: ['{bff,bench}/**/*.pg.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
