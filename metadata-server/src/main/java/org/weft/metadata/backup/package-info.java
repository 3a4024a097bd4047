/**
 * Managers in pairs: the journal of a volume's primary is copied to its backup, record by record,
 * and nothing is acknowledged that only one of them has (P 6.1, 6.2; Panasas FAST'08 section 5.2).
 */
package org.weft.metadata.backup;
