/**
 * Operations on the volume as a whole: how it is made, how full it is, and what the manager notes
 * of it. {@code metadata.serving} and the machine execute them, and {@code metadata.salvage} begins
 * a volume with them. Uses {@code name} and {@code number}.
 */
package org.weft.metadata.volume.operation.volume;
