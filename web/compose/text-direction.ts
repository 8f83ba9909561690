/** Far enough to find a letter; `dir="auto"` would search all of a long text at every key. */
const searchedChars = 400
const strong = /\p{L}/u
const rightToLeft =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u

/** Which way a text is set: as its first letter is. */
export function textDirection(text: string): 'ltr' | 'rtl' {
  const letter = strong.exec(text.slice(0, searchedChars))?.[0]
  return letter !== undefined && rightToLeft.test(letter) ? 'rtl' : 'ltr'
}
