import type { Migration } from '@tallystick/database'

// The index of an entry is its place in the tree, so it never changes. Hashes of the tree's nodes follow from the leaves.
export const logMigrations: readonly Migration[] = [
  {
    name: 'public log',
    statements: [
      `create table log_entries (
         index bigint primary key, leaf_hash bytea not null, entry text not null, public_from bigint not null)`,
      `create table log_checkpoints (
         size bigint primary key, root bytea not null, note text not null, signed_at bigint not null)`,
      'create table log_signers (log_index bigint primary key, chain_id bigint not null, signer text not null)',
      'alter table curves add column log_index bigint unique',
      'alter table note_sets add column log_index bigint unique',
    ],
  },
]

export const logChannel = 'tallystick_log'
