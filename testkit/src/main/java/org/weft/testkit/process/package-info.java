/** What tests do to processes of their own. */
package org.weft.testkit.process;
