import { usePromptIds } from '../sync/hooks.ts'

export function Shell() {
  const ids = usePromptIds()
  return <main>{ids.length} prompts</main>
}
