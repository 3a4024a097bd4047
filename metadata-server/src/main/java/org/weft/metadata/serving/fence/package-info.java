/**
 * What a volume tells OSDs so that none of them obeys an older manager, or serves readers that have
 * older maps. It tells the fence of its epoch (P 6.2), and that SysMgr has given an OSD up (P 5.8).
 * {@code metadata.serving} uses it. Uses none of the packages beside it. Confined to the volume's
 * thread.
 */
package org.weft.metadata.serving.fence;
