import type { Config } from '../config.ts'
import { openProduct } from '../wire.ts'
import { directReach } from './direct-reach.ts'
import type { Reach } from './reach.ts'

/** The way to the data by opening it, for as long as `work` takes. */
export async function openDirectly<T>(
  config: Config,
  purpose: string,
  work: (reach: Reach) => Promise<T>,
): Promise<T> {
  const product = await openProduct(config, purpose)
  try {
    return await work(directReach(product))
  } finally {
    await product.close()
  }
}
