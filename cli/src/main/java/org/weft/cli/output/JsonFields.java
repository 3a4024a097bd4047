package org.weft.cli.output;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The names of what a command writes with {@code --json}, for programs of users: they stay. The
 * page of commands shows them; tests compare them with real output.
 */
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface JsonFields {
  /** What one object stands for, and whether they come in an array: "one array of entries". */
  String shape();

  /** "name: meaning" each. */
  String[] value();
}
