package org.weft.simulator.coverage;

/**
 * A place in the code that keeps a rule.
 *
 * @param rule as in "5.4"
 * @param className with its package
 * @param line of its source
 * @param declares the line declares a method
 * @param meaning the decision made there
 */
public record RuleRow(String rule, String className, int line, boolean declares, String meaning) {
  /** The class's name without its package. */
  String simpleName() {
    return className.substring(className.lastIndexOf('.') + 1);
  }

  /** True for the class and for those within it. */
  boolean isIn(String name) {
    return name.equals(className) || name.startsWith(className + "$");
  }
}
