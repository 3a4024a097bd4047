/**
 * The check of a volume that serves (P 6.8d): what names, attributes and OSDs say of each other,
 * looked through in the order of objects. What looks wrong is looked at again before it is told.
 * Runs on the volume's thread; {@link org.weft.metadata.check.CheckedVolume} does all IO.
 */
package org.weft.metadata.check;
