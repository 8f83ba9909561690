import type { Clock } from '../domain/ports.ts'

/** Beyond this, setTimeout fires at once instead of late. */
const oneTimerMsMax = 2 ** 31 - 1

/**
 * The machine's time. Its timers keep the process alive: an attempt on the embedded database may have nothing else
 * that does. Who arms one disarms it.
 */
export const systemClock: Clock = {
  now: () => new Date(),

  at(at, fire) {
    const stepMs = (): number => Math.min(Math.max(0, at.getTime() - Date.now()), oneTimerMsMax)
    const onTimer = (): void => {
      // A timer may fire a millisecond early by the wall clock, and the clock may be set back meanwhile.
      if (at.getTime() <= Date.now()) fire()
      else timer = setTimeout(onTimer, stepMs())
    }
    let timer = setTimeout(onTimer, stepMs())
    return () => clearTimeout(timer)
  },
}
