/** Why a signal is aborted when the time a request may take is over, and not because its caller left. */
export const deadlineReached = Symbol('deadline reached')
