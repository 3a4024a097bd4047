package org.weft.sysmgr.configuration.stored;

/** The release that runs: it stands in each command, so that an older release can name it. */
final class Release {
  private static final String UNPACKAGED = "development";

  private Release() {}

  /** The version of the jar; "development" where classes are not in a jar. */
  static String current() {
    String version = Release.class.getPackage().getImplementationVersion();
    return version == null ? UNPACKAGED : version;
  }
}
