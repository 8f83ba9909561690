import * as z from 'zod/mini'

export const promptCharsMax = 200_000
export const bodyBytesMax = 1024 * 1024
export const excerptCharsMax = 280
export const errorMessageCharsMax = 500

/**
 * Text that PostgreSQL can store and give back unchanged: no U+0000, no unpaired surrogate.
 * A request that holds one is refused; text from providers is mended instead (`bff/domain/prompt-text.ts`).
 */
export function storableText(charsMax: number) {
  return z.string().check(
    z.maxLength(charsMax, `must have at most ${charsMax} characters`),
    z.refine((text) => !text.includes('\u0000'), 'must not contain the character U+0000'),
    z.refine((text) => text.isWellFormed(), 'must not contain an unpaired surrogate'),
  )
}

/** What a person asks: storable, not blank, 200,000 characters (UTF-16 units) at most. */
export const promptText = storableText(promptCharsMax).check(
  z.refine((text) => text.trim() !== '', 'must not be blank'),
)
