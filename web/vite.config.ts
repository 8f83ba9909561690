import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** The server that the page talks to while it is developed; `npm run dev` starts both. */
const server = process.env.MISSION_DEV_SERVER ?? 'http://127.0.0.1:7410'
const fromRoot = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

export default defineConfig({
  root: fromRoot('web'),
  publicDir: fromRoot('public'),
  plugins: [react(), preloadFirstFont()],
  build: {
    outDir: fromRoot('dist/web'),
    emptyOutDir: true,
    target: 'es2022',
    // Nothing inline: the page's policy is script-src 'self', and a font within a style sheet would be
    // fetched by everyone.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    host: '127.0.0.1',
    fs: { allow: [fromRoot('.')] },
    proxy: Object.fromEntries(
      ['/api', '/healthz', '/readyz', '/metrics', '/openapi.json', '/login'].map((path) => [
        path,
        { target: server, changeOrigin: false },
      ]),
    ),
  },
})

/** The one font that the first frame needs starts loading with the page, not after its style sheet. */
function preloadFirstFont(): Plugin {
  return {
    name: 'preload-first-font',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        const font = Object.keys(bundle ?? {}).find((file) =>
          /hanken-grotesk-latin-wght.*\.woff2$/.test(file),
        )
        if (!font) return []
        const attrs = { rel: 'preload', href: `/${font}`, as: 'font', type: 'font/woff2', crossorigin: '' }
        return [{ tag: 'link', attrs, injectTo: 'head' }]
      },
    },
  }
}
