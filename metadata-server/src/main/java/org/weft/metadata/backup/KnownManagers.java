package org.weft.metadata.backup;

import java.util.Set;
import java.util.function.Supplier;
import org.weft.protocol.wire.ClusterTable;

/**
 * What a manager knows of the others. Any thread.
 *
 * @param table as last heard
 * @param cutOff managers that do not reach all OSDs, as SysMgr said last
 */
public record KnownManagers(Supplier<ClusterTable> table, Supplier<Set<Integer>> cutOff) {}
