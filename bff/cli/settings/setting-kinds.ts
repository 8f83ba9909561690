import * as z from 'zod/mini'

/** How the text of a setting becomes its value; `expects` completes "NAME must be …". */
export interface SettingKind<Value> {
  schema: z.ZodMiniType<Value>
  expects: string
}

/** No deadline of ours makes sense beyond a year, and numbers of ms that long are typing errors. */
const yearMs = 365 * 24 * 60 * 60 * 1000

export function wholeNumber(min: number, max: number): SettingKind<number> {
  const inRange = z.int().check(z.gte(min), z.lte(max))
  return {
    schema: z.pipe(z.string().check(z.regex(/^-?\d+$/)), z.pipe(z.transform(Number), inRange)),
    expects: `a whole number from ${min} to ${max}`,
  }
}

export function milliseconds(min = 1): SettingKind<number> {
  return { ...wholeNumber(min, yearMs), expects: `a whole number of milliseconds from ${min} to ${yearMs}` }
}

/** A plain decimal such as `0.05`. */
export function decimal(min: number, max: number): SettingKind<number> {
  const inRange = z.number().check(z.gte(min), z.lte(max))
  return {
    schema: z.pipe(z.string().check(z.regex(/^\d+(\.\d+)?$/)), z.pipe(z.transform(Number), inRange)),
    expects: `a number from ${min} to ${max}`,
  }
}

export const onOff: SettingKind<boolean> = {
  schema: z.pipe(
    z.enum(['on', 'off', 'true', 'false']),
    z.transform((word) => word === 'on' || word === 'true'),
  ),
  expects: 'on or off',
}

/** One line without spaces at its ends: a model id, a key, a host. */
export const oneWord: SettingKind<string> = {
  schema: z.string().check(z.regex(/^[!-~\u00a1-\uffff]{1,4000}$/)),
  expects: 'one word without spaces',
}

/** Made absolute by who reads it: only they know where a relative one starts. */
export const path: SettingKind<string> = {
  schema: z.string().check(z.regex(/^[^\0\r\n]{1,4000}$/)),
  expects: 'a path',
}

/** An address with one of `schemes`; kept as it was written. */
export function address(...schemes: string[]): SettingKind<string> {
  return {
    schema: z.string().check(
      z.refine((text) => {
        const protocol = URL.canParse(text) ? new URL(text).protocol : ''
        return schemes.includes(protocol.slice(0, -1))
      }),
    ),
    expects: `an address that starts with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
  }
}
