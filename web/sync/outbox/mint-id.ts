/** Makes UUIDs of version 7, each greater than the last: prompts made in one millisecond keep their order. */
export function createIdMint(
  nowMs: () => number,
  fillRandom: (bytes: Uint8Array<ArrayBuffer>) => void,
): () => string {
  let lastMs = 0
  let count = 0
  return () => {
    const bytes = new Uint8Array(16)
    fillRandom(bytes)
    const ms = nowMs()
    if (ms > lastMs) {
      lastMs = ms
      count = ((bytes[6] ?? 0) & 0x07) * 256 + (bytes[7] ?? 0)
    } else if (++count > 0xfff) {
      lastMs += 1
      count = 0
    }
    for (let place = 0; place < 6; place++) bytes[place] = Math.floor(lastMs / 2 ** (40 - 8 * place)) % 256
    bytes[6] = 0x70 | (count >> 8)
    bytes[7] = count & 0xff
    bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
  }
}

/** `crypto.randomUUID` does not exist over plain HTTP on a LAN; `getRandomValues` does. */
export const mintId = createIdMint(Date.now, (bytes) => crypto.getRandomValues(bytes))
