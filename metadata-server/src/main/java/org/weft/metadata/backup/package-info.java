/**
 * Managers in pairs (P 6.1, 6.2; Panasas FAST'08 section 5.2). The journal of a volume's primary is
 * copied to its backup, record by record. Nothing is acknowledged that only one of them has.
 */
package org.weft.metadata.backup;
