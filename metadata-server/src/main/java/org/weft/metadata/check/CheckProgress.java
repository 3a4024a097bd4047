package org.weft.metadata.check;

/** How far a check is. Confined to the volume's thread. */
final class CheckProgress {
  long objects;
  long names;
  long stripes;
  long written;
}
