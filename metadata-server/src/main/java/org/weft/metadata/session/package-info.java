/**
 * Sessions of clients and their reply slots (P 6.4, 6.5). Part of the volume's live state: pure, on
 * the volume's thread, rebuilt from the journal.
 */
package org.weft.metadata.session;
