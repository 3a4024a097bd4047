/**
 * The soak: a cluster and its clients in processes of their own, killed and frozen at random while
 * every acknowledged byte is accounted for.
 *
 * <p>Clients ({@link org.weft.soak.SoakClient}) write each operation to a log before they ask for
 * it and again when it is acknowledged. Other clients read beside the writers, and the verifier
 * reads through a fresh client. Both read the log ({@link org.weft.soak.LogTail}) and so know what
 * each file may hold ({@link org.weft.soak.Ledger}).
 */
package org.weft.soak;
