import { Disc } from '../marks/disc.tsx'
import type { DiscKind } from '../marks/look-of.ts'
import { countText } from '../marks/time-text.ts'
import { type Grouped, groupWords, type ListFilter } from './group-rows.ts'
import styles from './list-filters.module.css'

const filters: readonly { value: ListFilter; word: string; disc?: DiscKind }[] = [
  { value: 'all', word: 'All' },
  { value: 'needs-you', word: groupWords['needs-you'], disc: 'orphan' },
  { value: 'at-work', word: groupWords['at-work'], disc: 'pending' },
  { value: 'waiting', word: groupWords.waiting, disc: 'queued' },
  { value: 'new', word: 'New', disc: 'new' },
  { value: 'answered', word: groupWords.answered, disc: 'settled' },
  { value: 'cancelled', word: groupWords.cancelled, disc: 'cancelled' },
]

/** Which group is shown; each with its count. */
export function ListFilters({
  counts,
  value,
  onChange,
}: {
  counts: Grouped['counts']
  value: ListFilter
  onChange: (filter: ListFilter) => void
}) {
  return (
    <fieldset className={styles.filters} aria-label="Show">
      {filters
        .filter((filter) => filter.value === 'all' || filter.value === value || counts[filter.value] > 0)
        .map(({ value: filter, word, disc }) => (
          <button
            key={filter}
            type="button"
            className={styles.filter}
            aria-pressed={filter === value}
            onClick={() => onChange(filter)}
          >
            {disc === undefined ? null : <Disc look={{ disc }} mini size={14} resting />}
            {word} <span>{countText(counts[filter])}</span>
          </button>
        ))}
    </fieldset>
  )
}
