import { endpoints } from '../../../shared/api.ts'
import type { Execution } from '../../execution/context.ts'
import { changeSchedule } from '../../execution/schedules/change-schedule.ts'
import { listSchedules } from '../../execution/schedules/list-schedules.ts'
import { makeSchedule } from '../../execution/schedules/make-schedule.ts'
import { removeSchedule } from '../../execution/schedules/remove-schedule.ts'
import { type Route, route } from '../route.ts'

export function scheduleRoutes(execution: Execution): Route[] {
  return [
    route(endpoints.listSchedules, ({ session, query }) => listSchedules(execution, session, query)),
    route(endpoints.makeSchedule, ({ session, body }) => makeSchedule(execution, session, body)),
    route(endpoints.changeSchedule, ({ session, params, body }) =>
      changeSchedule(execution, session, params.schedule_id, body),
    ),
    route(endpoints.removeSchedule, ({ session, params }) =>
      removeSchedule(execution, session, params.schedule_id),
    ),
  ]
}
