/**
 * A bounded queue between what is pushed as it happens and one reader that takes its time. Bounded, since un-awaited
 * writes to a stalled client would pile up in memory.
 */
export interface ItemQueue<Item> extends AsyncIterable<Item> {
  /** @returns false when the queue is full; the item is not taken then. */
  push(item: Item): boolean
  /** Throws away what waits and leaves only `item`. */
  replaceWith(item: Item): void
  /** The reader gets what waits, then the end. */
  end(): void
}

export function createItemQueue<Item>(itemsMax: number): ItemQueue<Item> {
  let items: Item[] = []
  let ended = false
  let wake: (() => void) | null = null
  const stir = (): void => {
    wake?.()
    wake = null
  }
  return {
    push(item) {
      if (ended) return true
      if (items.length >= itemsMax) return false
      items.push(item)
      stir()
      return true
    },
    replaceWith(item) {
      items = [item]
      stir()
    },
    end() {
      ended = true
      stir()
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const item = items.shift()
        if (item !== undefined) yield item
        else if (ended) return
        else await new Promise<void>((resolve) => (wake = resolve))
      }
    },
  }
}
