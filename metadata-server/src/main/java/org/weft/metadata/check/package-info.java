/**
 * The check of a volume that is served (P 6.8d). It compares names, attributes and OSDs with each
 * other, in the order of objects. A suspected contradiction is looked at again before it is
 * reported. Runs on the volume's thread; {@link org.weft.metadata.check.CheckedVolume} does all IO.
 */
package org.weft.metadata.check;
