import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { bindPlaceToAddress } from '../session/place-address.ts'
import { bindPreferences } from '../session/preferences-store.ts'
import { bindTheme } from '../session/theme-store.ts'
import { browserDeps, createSync } from '../sync/sync.ts'
import { App } from './app.tsx'
import { isNarrow } from './screen-width.ts'

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no #root to be drawn into')

const deps = browserDeps()
const sync = createSync(deps)
bindTheme(document)
bindPreferences(deps.localStorage)
bindPlaceToAddress(window, isNarrow() ? 'list' : 'field')
sync.start()

createRoot(root).render(
  <StrictMode>
    <App sync={sync} />
  </StrictMode>,
)
