package org.weft.sysmgr.status;

/**
 * Something a person should know.
 *
 * @param what is wrong
 * @param advice what to do about it
 */
public record Finding(Severity severity, String what, String advice) {
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

  static Finding error(String what, String advice) {
    return new Finding(Severity.ERROR, what, advice);
  }

  static Finding warning(String what, String advice) {
    return new Finding(Severity.WARNING, what, advice);
  }
}
