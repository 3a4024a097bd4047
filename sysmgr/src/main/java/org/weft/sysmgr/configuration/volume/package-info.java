/**
 * What the configuration says of a volume: its row with owner and epoch (P 6.2), its path, and the
 * keys of its partition. It also holds its creation, deletion, move or recovery. The rules of
 * {@code configuration} make each next value. Uses {@code cluster}, for secrets. Immutable.
 */
package org.weft.sysmgr.configuration.volume;
