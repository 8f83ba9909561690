import { defineConfig } from 'drizzle-kit'

/** `npm run migrations` after a change of the schema; what it writes is committed and never edited. */
export default defineConfig({
  dialect: 'postgresql',
  schema: './bff/store/schema/*.ts',
  out: './bff/store/migrations',
})
