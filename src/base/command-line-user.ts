/** The actor of the command line in the audit log. Not a user's id: the operating system decides who may run commands. */
export const COMMAND_LINE_USER_ID = '00000000-0000-0000-0000-000000000000'
