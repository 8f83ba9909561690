import { findLocalServer, type LocalServer } from '../adapters/ai-sdk/find-local-server.ts'
import { listModels } from '../adapters/ai-sdk/list-models.ts'
import { openAiCompatible } from '../adapters/ai-sdk/open-ai-compatible.ts'
import { practiceProvider } from '../adapters/practice/practice-provider.ts'
import type { ModelProvider } from '../domain/ports.ts'
import type { Providers } from '../execution/choose-model.ts'
import type { Config } from './config.ts'

type ProviderConfig = Pick<Config, 'openaiBaseUrl' | 'openaiApiKey' | 'model'>

const openAiUrl = 'https://api.openai.com/v1'
/** OpenAI lists its models in no order of merit; these are small, current and able to chat. */
const openAiDefaults = ['gpt-5-mini', 'gpt-4.1-mini', 'gpt-4o-mini']
/** A start waits so long at most for a provider's list of models. */
const listMsMax = 1_500

/**
 * Who answers prompts, in this order: what the environment names, a model server on this machine, practice. Practice
 * is always on offer, so that its models can be chosen, and serves when `MISSION_MODEL` names one of them.
 *
 * @param find looks for a server on this machine; asked only when the environment names none.
 */
export async function chooseProviders(
  config: ProviderConfig,
  find: () => Promise<LocalServer | null> = findLocalServer,
): Promise<Providers> {
  const practice = practiceProvider()
  const practices = config.model !== null && practice.models().includes(config.model)
  const named = config.openaiBaseUrl !== null || config.openaiApiKey !== null
  if (named)
    return offering(practices ? practice : null, await fromEnvironment(config), practice, config, null)
  const local = await find()
  if (!local) return offering(practice, null, practice, config, null)
  const words = `${localNames[local.kind]} on this machine`
  return offering(practices ? practice : null, fromLocal(local, config), practice, config, words)
}

const localNames: Readonly<Record<LocalServer['kind'], string>> = {
  ollama: 'Ollama',
  'lm-studio': 'LM Studio',
  'llama.cpp': 'llama.cpp',
}

/** `chosen` serves by default, else `real`; a model of `MISSION_MODEL` that practice does not know is `real`'s. */
function offering(
  chosen: ModelProvider | null,
  real: ModelProvider | null,
  practice: ModelProvider,
  { model }: ProviderConfig,
  found: string | null,
): Providers {
  const provider = chosen ?? real ?? practice
  const isOffered = !provider.practice || (model !== null && provider.models().includes(model))
  const byDefault = { provider, model: (isOffered ? model : null) ?? provider.defaultModel }
  const all = real ? [real, practice] : [practice]
  return {
    default: () => byDefault,
    list: () => all,
    byId: (id) => all.find((each) => each.id === id),
    found,
  }
}

function fromLocal(local: LocalServer, { model }: ProviderConfig): ModelProvider {
  const models = withModel(local.models, model)
  return openAiCompatible({
    id: local.kind,
    baseUrl: local.baseUrl,
    defaultModel: model ?? models[0] ?? 'default',
    models,
  })
}

/**
 * Its list of models is asked for once. Only without `MISSION_MODEL` does the start wait for it; a server that gives
 * none is used all the same, and says itself what is wrong when a prompt arrives.
 */
async function fromEnvironment({
  openaiBaseUrl,
  openaiApiKey,
  model,
}: ProviderConfig): Promise<ModelProvider> {
  const baseUrl = openaiBaseUrl ?? openAiUrl
  const isOpenAi = new URL(baseUrl).host === new URL(openAiUrl).host
  const access = { baseUrl, ...(openaiApiKey !== null && { apiKey: openaiApiKey }) }
  let listed: readonly string[] = []
  const asking = listModels({ ...access, timeoutMs: listMsMax }).then((list) => {
    listed = list.ok ? list.models : []
  })
  if (model === null) await asking
  const preferred = isOpenAi
    ? (openAiDefaults.find((name) => listed.includes(name)) ?? 'gpt-4o-mini')
    : listed[0]
  const defaultModel = model ?? preferred ?? 'default'
  const provider = openAiCompatible({
    id: isOpenAi ? 'openai' : 'openai-compatible',
    ...access,
    defaultModel,
  })
  return { ...provider, models: () => withModel(listed, defaultModel) }
}

function withModel(models: readonly string[], model: string | null): readonly string[] {
  return model === null || models.includes(model) ? models : [model, ...models]
}
