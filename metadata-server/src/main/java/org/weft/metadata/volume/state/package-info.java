/**
 * What a volume's machine knows. It is {@link org.weft.metadata.volume.state.VolumeState} and its
 * tables, which only effects change (P 6.4), and the {@link org.weft.metadata.volume.state.Draft}
 * of the next record. The {@link org.weft.metadata.volume.state.View} shows the volume as that
 * draft leaves it. Operations read and draft; only the machine applies. {@code metadata.serving}
 * reads counts, and {@code metadata.backup} keeps a {@link
 * org.weft.metadata.volume.state.WarmState}. Uses {@code length}. Confined to the volume's thread.
 */
package org.weft.metadata.volume.state;
