/**
 * The soak: a cluster and its clients in processes of their own, killed and frozen at random while
 * every acknowledged byte is accounted for.
 *
 * <p>Clients ({@link org.weft.soak.SoakClient}) write each operation to a log before they ask for
 * it and again when it is acknowledged. Readers of a log ({@link org.weft.soak.LogTail}) know what
 * each file may hold ({@link org.weft.soak.Ledger}): other clients, which read beside the writers,
 * and the verifier, which reads through a fresh client.
 */
package org.weft.soak;
