export interface ReadEvent {
  event: string
  id: string | null
  data: unknown
}

/**
 * Reads an event stream one event at a time; null once it has ended. How full the queue is is told at times of its own, so
 * that those events are left out.
 */
export function sseReader(response: Response): { next(): Promise<ReadEvent | null>; leave(): Promise<void> } {
  if (response.body === null) throw new Error('the response has no body')
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let held = ''
  const nextOfAny = async (): Promise<ReadEvent | null> => {
    while (!held.includes('\n\n')) {
      const { done, value } = await reader.read()
      if (done) return null
      held += decoder.decode(value, { stream: true })
    }
    const end = held.indexOf('\n\n')
    const lines = held.slice(0, end).split('\n')
    held = held.slice(end + 2)
    const field = (name: string) =>
      lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? null
    return { event: field('event') ?? '', id: field('id'), data: JSON.parse(field('data') ?? 'null') }
  }
  return {
    async next() {
      for (;;) {
        const event = await nextOfAny()
        if (event?.event !== 'queue.changed') return event
      }
    },
    leave: () => reader.cancel(),
  }
}
