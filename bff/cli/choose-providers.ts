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
  const playsPractice = config.model !== null && practice.models().includes(config.model)
  const { real, found } = await realProvider(playsPractice ? { ...config, model: null } : config, find)
  const serving = playsPractice || real === null ? practice : real
  const model = playsPractice ? config.model : null
  const byDefault = { provider: serving, model: model ?? serving.defaultModel }
  const all = real === null ? [practice] : [real, practice]
  return {
    default: () => byDefault,
    list: () => all,
    byId: (id) => all.find((each) => each.id === id),
    found,
  }
}

async function realProvider(
  config: ProviderConfig,
  find: () => Promise<LocalServer | null>,
): Promise<{ real: ModelProvider | null; found: string | null }> {
  if (config.openaiBaseUrl !== null || config.openaiApiKey !== null) {
    return { real: await fromEnvironment(config), found: null }
  }
  const local = await find()
  if (local === null) return { real: null, found: null }
  return { real: fromLocal(local, config), found: `${localNames[local.kind]} on this machine` }
}

const localNames: Readonly<Record<LocalServer['kind'], string>> = {
  ollama: 'Ollama',
  'lm-studio': 'LM Studio',
  'llama.cpp': 'llama.cpp',
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
