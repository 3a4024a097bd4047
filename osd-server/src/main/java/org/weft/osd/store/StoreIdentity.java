package org.weft.osd.store;

import java.util.Optional;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.OsdId;

/**
 * The identity of a store (P 5.8).
 *
 * @param identity 32 hexadecimal digits, drawn when the store was formatted
 * @param cluster empty until the first join
 * @param osd empty until the first join
 * @param incarnation 1 for the first start, one more for each later one
 * @param bootId of the machine, at this start
 * @param uncleanReboot writes that no checkpoint covered may be gone, and others may have gone on
 *     without it (P 5.8, 5.9). The last stop left no clean mark and the machine has booted since,
 *     or a sync failed and bytes are lost. Or the store failed and said so
 * @param history tells the store from an old copy of it
 */
public record StoreIdentity(
    String identity,
    Optional<ClusterId> cluster,
    Optional<OsdId> osd,
    long incarnation,
    String bootId,
    boolean uncleanReboot,
    StoreHistory history) {}
