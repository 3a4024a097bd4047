package org.weft.sysmgr.status;

/**
 * A problem that a person should know of.
 *
 * @param name stable, for programs: docs/operations.md lists them all
 * @param subject what it is about, such as "osd-3"; empty: the cluster
 * @param what is wrong
 * @param advice what to do about it
 */
public record Finding(Severity severity, String name, String subject, String what, String advice) {
  /** How bad it is. */
  public enum Severity {
    /** Something does not work, or stands to be lost. */
    ERROR("error"),
    /** It works, with less safety or speed than it could. */
    WARNING("warning");

    private final String word;

    Severity(String word) {
      this.word = word;
    }

    /** As it stands in the status. */
    public String word() {
      return word;
    }
  }

  /** Tells it from all others that may hold at the same time. */
  public String key() {
    return subject.isEmpty() ? name : name + " " + subject;
  }

  static Finding error(String name, String subject, String what, String advice) {
    return new Finding(Severity.ERROR, name, subject, what, advice);
  }

  static Finding warning(String name, String subject, String what, String advice) {
    return new Finding(Severity.WARNING, name, subject, what, advice);
  }
}
