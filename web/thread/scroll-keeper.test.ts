import { expect, it } from 'vitest'
import { keepingAfterScroll, newLines } from './scroll-keeper.ts'

const at = (scrollTop: number, scrollHeight = 2_000) => ({ scrollTop, scrollHeight, clientHeight: 500 })

// R103
it('who scrolls up is left alone, however much is written', () => {
  expect(keepingAfterScroll('end', at(1_500), at(1_300))).toBe('reader')
  expect(keepingAfterScroll('reader', at(1_300), at(1_300, 4_000))).toBe('reader')
  expect(keepingAfterScroll('reader', at(1_300), at(1_400))).toBe('reader')
})

it('who comes back to the end goes along with it again', () => {
  expect(keepingAfterScroll('reader', at(1_300), at(1_500))).toBe('end')
})

it('a turn that is held stays held while what stands above it grows or shrinks', () => {
  expect(keepingAfterScroll('turn', at(300), at(420))).toBe('turn')
})

it('a text that shrank is no move of the reader', () => {
  expect(keepingAfterScroll('end', at(1_500), at(1_400, 1_900))).toBe('end')
})

it('text that grows is no move of the reader', () => {
  expect(keepingAfterScroll('end', at(1_500), at(1_500, 2_400))).toBe('end')
  expect(keepingAfterScroll('turn', at(300), at(300, 2_400))).toBe('turn')
})

it('counts whole lines', () => {
  expect(newLines(340, 240, 24)).toBe(4)
  expect(newLines(240, 340, 24)).toBe(0)
})
