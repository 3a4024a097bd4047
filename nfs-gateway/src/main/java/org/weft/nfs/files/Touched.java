package org.weft.nfs.files;

/**
 * The nodes that an operation looked at or changed before it failed, by the part that they play.
 *
 * @param node the file that was named by its id
 * @param directory where a name was looked for, made or removed; of a rename, the old one
 * @param target of a rename, the new directory
 */
public record Touched(Change node, Change directory, Change target) {
  /** None, or none that the caller may know of. */
  public static final Touched NONE = new Touched(Change.UNKNOWN, Change.UNKNOWN, Change.UNKNOWN);

  public static Touched node(Attributes attributes) {
    return new Touched(Change.unchanged(attributes), Change.UNKNOWN, Change.UNKNOWN);
  }

  public static Touched directory(Attributes attributes) {
    return new Touched(Change.UNKNOWN, Change.unchanged(attributes), Change.UNKNOWN);
  }
}
