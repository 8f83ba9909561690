import { beforeEach, expect, test } from 'vitest'
import { useCameraIntent } from './camera-intent-store.ts'
import { useNotices } from './notice-store.ts'

beforeEach(() => useNotices.setState({ notices: [] }))
const texts = () => useNotices.getState().notices.map(({ text }) => text)

test('the same words are not said twice, and only the newest five stand', () => {
  const { say } = useNotices.getState()
  for (const text of ['a', 'b', 'c', 'a']) say(text)
  expect(texts()).toEqual(['b', 'c', 'a'])
  for (const text of ['d', 'e', 'f']) say(text)
  expect(texts()).toEqual(['c', 'a', 'd', 'e', 'f'])
})

test('a notice is dismissed by its id, and a dismissal does not reach one said since', () => {
  const { say, dismiss } = useNotices.getState()
  const id = say('a', { tone: 'trouble' })
  dismiss(id)
  say('a')
  dismiss(id)
  expect(texts()).toEqual(['a'])
})

test('two like wishes of the camera are two', () => {
  const { reveal } = useCameraIntent.getState()
  reveal('p')
  const first = useCameraIntent.getState().intent
  reveal('p')
  expect(useCameraIntent.getState().intent).toMatchObject({ kind: 'reveal', promptId: 'p' })
  expect(useCameraIntent.getState().intent?.turn).not.toBe(first?.turn)
})
