/**
 * A volume's redo log: records of absolute effects, their bytes, and the files they lie in (P 6.1,
 * 6.3, 6.4; Panasas FAST'08 section 5.2). {@link org.weft.metadata.journal.JournalLog} is the seam
 * at which a backup's replica will join; one writer task owns the files.
 */
package org.weft.metadata.journal;
