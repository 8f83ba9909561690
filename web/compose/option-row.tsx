import { useModels } from '../sync/hooks.ts'
import { Menu, MenuChoice, MenuChoices } from '../ui/menu.tsx'
import { chosenOffer, lengths, offerKey, urgencies, useComposeOptions } from './compose-options.ts'
import { OptionButton } from './option-button.tsx'

const urgencyHints = { high: 'before the others', normal: 'as it comes', low: 'when there is room' } as const
const lengthWords = { quick: 'quick', medium: 'medium', unknown: 'unknown length' } as const
const lengthHints = {
  quick: 'asks after 2 min',
  medium: 'asks after 30 min',
  unknown: 'asks after 5 min',
} as const

/** Model, priority and expected length of what is sent next. */
export function OptionRow() {
  return (
    <>
      <ModelOption />
      <PriorityOption />
      <LengthOption />
    </>
  )
}

function ModelOption() {
  const models = useModels()
  const { model, choose } = useComposeOptions()
  const offer = chosenOffer(models, model)
  if (models === undefined || offer === undefined) return null
  const isDefault = offerKey(offer) === offerKey(models.default)
  return (
    <Menu
      label="Model"
      side="top"
      button={<OptionButton icon="drop" name="Model" value={offer.label} strong changed={!isDefault} />}
      footnote={
        offer.practice ? 'No model answers: practice replies with plainly artificial text.' : undefined
      }
    >
      <MenuChoices value={offerKey(offer)} onChange={(key) => choose({ model: key })}>
        {models.models.map((each) => (
          <MenuChoice
            key={offerKey(each)}
            value={offerKey(each)}
            hint={each.practice ? 'practice' : each.provider}
          >
            {each.label}
          </MenuChoice>
        ))}
      </MenuChoices>
    </Menu>
  )
}

function PriorityOption() {
  const { urgency, choose } = useComposeOptions()
  return (
    <Menu
      label="Priority"
      side="top"
      button={<OptionButton icon="flag" name="Priority" value={urgency} changed={urgency !== 'normal'} />}
    >
      <MenuChoices
        value={urgency}
        onChange={(value) => choose({ urgency: urgencies.find((each) => each === value) ?? 'normal' })}
      >
        {urgencies.map((each) => (
          <MenuChoice key={each} value={each} hint={urgencyHints[each]}>
            {each}
          </MenuChoice>
        ))}
      </MenuChoices>
    </Menu>
  )
}

function LengthOption() {
  const { length, choose } = useComposeOptions()
  return (
    <Menu
      label="Expected length"
      side="top"
      button={
        <OptionButton
          icon="trace"
          name="Expected length"
          value={lengthWords[length]}
          changed={length !== 'unknown'}
        />
      }
      footnote="How long an answer may reasonably take before you are asked whether to go on waiting."
    >
      <MenuChoices
        value={length}
        onChange={(value) => choose({ length: lengths.find((each) => each === value) ?? 'unknown' })}
      >
        {lengths.map((each) => (
          <MenuChoice key={each} value={each} hint={lengthHints[each]}>
            {lengthWords[each]}
          </MenuChoice>
        ))}
      </MenuChoices>
    </Menu>
  )
}
